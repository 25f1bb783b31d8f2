import os
import socket
import threading
import time
import urllib.request

import uvicorn
from fastapi import APIRouter, FastAPI
from opentelemetry import trace
from opentelemetry.instrumentation.fastapi import FastAPIInstrumentor
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

if os.environ.get("LORE_TEST_OVER") == "grpc":
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
else:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

app = FastAPI()
router = APIRouter()


@router.get("/items/{sku}")
def item(sku: str):
    return {"sku": sku}


@app.post("/orders")
def order():
    return {}


@app.get("/never")
def never():
    return {}


app.include_router(router, prefix="/api")


def ask(port, method, path):
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", method=method)
    urllib.request.urlopen(request).read()


if __name__ == "__main__":
    provider = TracerProvider(resource=Resource.create({"service.name": "fastshop"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    FastAPIInstrumentor.instrument_app(app)
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    for n in range(4):
        ask(port, "GET", f"/api/items/sku-{n}")
    ask(port, "POST", "/orders")
    server.should_exit = True
    thread.join()
    assert provider.force_flush()
    provider.shutdown()
