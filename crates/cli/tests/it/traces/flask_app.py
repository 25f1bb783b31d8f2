import os
import threading
import urllib.request

from flask import Flask
from opentelemetry import trace
from opentelemetry.instrumentation.flask import FlaskInstrumentor
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from werkzeug.serving import make_server

if os.environ.get("LORE_TEST_OVER") == "grpc":
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
else:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

app = Flask(__name__)


@app.get("/users/<int:id>")
def user(id):
    return {"id": id}


@app.post("/orders")
def order():
    return "", 201


@app.get("/never")
def never():
    return ""


def ask(port, method, path):
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", method=method)
    urllib.request.urlopen(request).read()


if __name__ == "__main__":
    provider = TracerProvider(resource=Resource.create({"service.name": "flaskshop"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    FlaskInstrumentor().instrument_app(app)
    server = make_server("127.0.0.1", 0, app)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for n in range(5):
        ask(server.port, "GET", f"/users/{n}")
    ask(server.port, "POST", "/orders")
    ask(server.port, "POST", "/orders")
    server.shutdown()
    assert provider.force_flush()
    provider.shutdown()
