"""Sessions of engines on this machine, one of each a process, started only where they are requested."""

import shutil
import warnings

import pytest

SPARK = {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.codegen.wholeStage": "false",  # compiling a query would take longer than running it
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
}


def running_spark():
    """Spark with one core; it is started again where a test has stopped it."""
    if shutil.which("java") is None:
        pytest.skip("PySpark needs Java, which is not installed")
    sql = pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
    builder = sql.SparkSession.builder.master("local[1]")
    for key, value in SPARK.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def running_ray():
    """Ray with two cores, until the process ends."""
    ray = pytest.importorskip("ray", reason="Ray is not installed")
    data = pytest.importorskip("ray.data", reason="Ray Data is not installed")
    if not ray.is_initialized():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of settings that Ray itself sets and has given up
            data.DataContext.get_current()
        quiet = {"include_dashboard": False, "log_to_driver": False, "logging_level": "ERROR"}
        ray.init(num_cpus=2, object_store_memory=100 << 20, **quiet)
    return ray


def running_dask():
    """A scheduler of Dask with two worker processes, to be used as a context."""
    distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
    return distributed.LocalCluster(2, threads_per_worker=1, processes=True, dashboard_address=None)
