"""Where arenas are stored in these tests: a file, and a PostgreSQL server of our own where one can be had."""

import pytest
import sqlalchemy as sa

from beatpath.arena.arena import Arena
from helpers.postgres import Server, missing


@pytest.fixture(scope="session")
def server():
    """A PostgreSQL server for all tests of this room."""
    if missing():
        pytest.skip(missing())
    made = Server(fsync="off")  # quick; what is killed has a server of its own
    yield made
    made.stop()


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request, tmp_path):
    """An address at which there is no arena yet."""
    if request.param == "sqlite":
        return str(tmp_path / "arena.db")
    server = request.getfixturevalue("server")
    engine = sa.create_engine(server.address.replace("postgresql://", "postgresql+psycopg://", 1))
    with engine.begin() as db:
        db.execute(sa.text("DROP SCHEMA public CASCADE"))
        db.execute(sa.text("CREATE SCHEMA public"))
    engine.dispose()
    return server.address


@pytest.fixture
def arena(address):
    """An arena of four agents whose goal is first place."""
    made = Arena(address, agents=["ada", "bob", "cyd", "dan"], goal="first", seed=1)
    yield made
    made.close()
