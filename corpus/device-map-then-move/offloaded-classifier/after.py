"""Load a fine-tuned classifier with its large head offloaded to host memory."""
import tempfile

import torch
from transformers import BertConfig, BertForSequenceClassification


def fake_fine_tuned(folder):
    config = BertConfig(
        vocab_size=90, hidden_size=24, num_hidden_layers=2, num_attention_heads=3, intermediate_size=48,
        max_position_embeddings=20, num_labels=64,
    )
    BertForSequenceClassification(config).save_pretrained(folder)


def load(folder, device):
    device_map = {"bert": 0, "classifier": "cpu"} if torch.cuda.is_available() else {"": "cpu"}
    model = BertForSequenceClassification.from_pretrained(folder, device_map=device_map)
    model.eval()
    return model


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    with tempfile.TemporaryDirectory() as folder:
        fake_fine_tuned(folder)
        model = load(folder, device)
        input_ids = torch.randint(1, 90, (6, 14)).to(device)
        with torch.no_grad():
            confidence = model(input_ids).logits.softmax(dim=-1).max(dim=-1).values
    print("most confident", confidence.max().item())
    print("RESULT", confidence.mean().item())


if __name__ == "__main__":
    main()
