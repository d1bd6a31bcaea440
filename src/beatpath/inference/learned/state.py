"""Learned tournaments in files."""

import os
from pickle import UnpicklingError
from typing import Any

import torch

from beatpath._atomic_write import whole_file
from beatpath._errors import DataError, ReadError
from beatpath._text import quoted, shown
from beatpath.inference.learned.contexts import ContextFeatures
from beatpath.inference.learned.encoder import NETWORKS
from beatpath.inference.learned.model import TournamentModel

FORMAT = "beatpath tournament model"
VERSION = 1


def save_learned(model: TournamentModel, path: str | os.PathLike[str]) -> None:
    """Write a learned tournament to a file that `load_learned` reads back, whole or not at all.

    The file holds names, numbers and tensors, and no code.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from beatpath.inference.learned.encoder import ContextualBTL
    >>> model = TournamentModel(("ada", "bob"), ContextFeatures(), ContextualBTL(2, 0))
    >>> with TemporaryDirectory() as folder:
    ...     save_learned(model, Path(folder) / "model.pt")
    ...     load_learned(Path(folder) / "model.pt").agents
    ('ada', 'bob')
    """
    with whole_file(path) as draft:
        torch.save(_plain_state(model), draft)


def load_learned(path: str | os.PathLike[str]) -> TournamentModel:
    """Read a learned tournament that `save_learned` wrote; a file from elsewhere cannot run code.

    Raises
    ------
    ReadError
        For a file that holds something else, or was written by a later version.
    """
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
    except (UnpicklingError, RuntimeError, EOFError, ValueError, KeyError) as error:
        raise ReadError(_unreadable(path, f"it cannot be read ({shown(error, 80)})")) from None
    if not isinstance(state, dict) or state.get("format") != FORMAT:
        raise ReadError(_unreadable(path, "it holds something else"))
    if state.get("version") != VERSION:
        raise ReadError(
            _unreadable(path, f"it has version {quoted(state.get('version'))}, and this beatpath reads {VERSION}")
        )
    try:
        return _model(state)
    except (KeyError, TypeError, ValueError, RuntimeError, DataError) as error:
        raise ReadError(_unreadable(path, f"its parts do not fit ({shown(error, 80)})")) from None


def _plain_state(model: TournamentModel) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "agents": list(model.agents),
        "covariates": [list(covariate) for covariate in model.features.covariates],
        "factors": [[name, list(levels)] for name, levels in model.features.factors],
        "network": next(name for name, kind in NETWORKS.items() if isinstance(model.network, kind)),
        "shape": model.network.shape(),
        "parameters": model.network.state_dict(),
    }


def _model(state: dict[str, Any]) -> TournamentModel:
    features = ContextFeatures(
        tuple((name, float(mean), float(scale)) for name, mean, scale in state["covariates"]),
        tuple((name, tuple(levels)) for name, levels in state["factors"]),
    )
    network = NETWORKS[state["network"]](**state["shape"])
    network.load_state_dict(state["parameters"])
    agents = tuple(state["agents"])
    if (len(agents), len(features)) != (state["shape"]["n_agents"], state["shape"]["n_features"]):
        raise ValueError("names and parameters differ in number")
    return TournamentModel(agents, features, network)


def _unreadable(path: str | os.PathLike[str], why: str) -> str:
    return f"{quoted(os.fspath(path))} must be a learned tournament as `save_learned` writes it; {why}. Learn it again and save it."
