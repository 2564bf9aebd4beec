"""A worker asked directly, through proto/engine.proto: what it holds at this moment, without the gateway between."""

from __future__ import annotations

import functools
import subprocess
import tempfile
from pathlib import Path

import grpc
import psutil
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory

PROTO = Path(__file__).resolve().parents[2] / "proto/engine.proto"
PACKAGE = "llm_gateway.engine.v1"


@functools.cache
def message_class(name: str):
    """Made from the .proto file at run time, so no generated code has to fit the installed library."""
    with tempfile.NamedTemporaryFile() as file:
        subprocess.run(["protoc", f"--proto_path={PROTO.parent}", f"--descriptor_set_out={file.name}", PROTO.name], check=True)
        files = descriptor_pb2.FileDescriptorSet.FromString(Path(file.name).read_bytes())
    pool = descriptor_pool.DescriptorPool()
    for description in files.file:
        pool.Add(description)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{PACKAGE}.{name}"))


class Worker:
    def __init__(self, process: psutil.Process):
        command = process.cmdline()
        self.channel = grpc.insecure_channel("unix:" + command[command.index("--socket") + 1])

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_) -> None:
        self.channel.close()

    def statistics(self):
        call = self.channel.unary_unary(
            f"/{PACKAGE}.Engine/Statistics",
            request_serializer=message_class("StatisticsRequest").SerializeToString,
            response_deserializer=message_class("StatisticsReply").FromString,
        )
        return call(message_class("StatisticsRequest")(), timeout=30)

    def run(self, job: dict, timeout: float = 300) -> list:
        """The events of one job, given as JSON has it."""
        call = self.channel.unary_stream(
            f"/{PACKAGE}.Engine/Run",
            request_serializer=message_class("Job").SerializeToString,
            response_deserializer=message_class("Event").FromString,
        )
        return list(call(json_format.ParseDict(job, message_class("Job")()), timeout=timeout))
