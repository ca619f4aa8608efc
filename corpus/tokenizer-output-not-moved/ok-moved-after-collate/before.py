import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from torch.utils.data import DataLoader
from transformers import DistilBertConfig, DistilBertForSequenceClassification, PreTrainedTokenizerFast

COLOURS = ["red", "green", "blue"]
THINGS = ["ball", "box", "car", "hat", "cup"]


def sentences():
    for i in range(60):
        colour, thing = i % 3, i % 5
        yield f"the {THINGS[thing]} is {COLOURS[colour]}", colour


def make_tokenizer():
    words = ["[PAD]", "[UNK]", "the", "is", *COLOURS, *THINGS]
    tok = Tokenizer(models.WordLevel({w: i for i, w in enumerate(words)}, unk_token="[UNK]"))
    tok.pre_tokenizer = pre_tokenizers.Whitespace()
    return PreTrainedTokenizerFast(tokenizer_object=tok, pad_token="[PAD]", unk_token="[UNK]")


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    tokenizer = make_tokenizer()

    def collate(rows):
        texts, colours = zip(*rows)
        batch = tokenizer(list(texts), padding=True, return_tensors="pt", return_token_type_ids=False)
        batch["labels"] = torch.tensor(colours)
        return batch

    loader = DataLoader(list(sentences()), batch_size=12, shuffle=True, collate_fn=collate)
    config = DistilBertConfig(vocab_size=len(tokenizer), dim=16, n_layers=1, n_heads=2, hidden_dim=32,
                              max_position_embeddings=16, num_labels=3, dropout=0.0, seq_classif_dropout=0.0)
    model = DistilBertForSequenceClassification(config).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(3):
        for batch in loader:
            batch = batch.to(device)
            loss = model(**batch).loss
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())

    lengths = [len(ids) for ids in tokenizer(["the hat is red", "the cup"]).input_ids]
    print("lengths", lengths)
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
