import argparse

import torch

from encoder import load
from pooling import embed

SENTENCES = [
    "the train to the city is late",
    "a late train",
    "fresh bread from the oven",
    "the oven is in the kitchen",
]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--query", default="the late train from the city")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args = parser.parse_args()
    torch.manual_seed(12)
    tokenizer, model = load(torch.device(args.device))
    library = embed(model, tokenizer, SENTENCES)
    query = embed(model, tokenizer, [args.query])
    similarity = torch.cosine_similarity(query, library)
    print("closest:", SENTENCES[similarity.argmax().item()])
    print("RESULT", similarity.max().item())


if __name__ == "__main__":
    main()
