import tempfile

import torch
from torch.utils.data import Dataset
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed


class Counting(Dataset):
    """Sequences that count up modulo ten from a random start."""

    def __init__(self, n, length=12):
        g = torch.Generator().manual_seed(0)
        start = torch.randint(0, 10, (n, 1), generator=g)
        self.ids = (start + torch.arange(length)) % 10

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        return {"input_ids": self.ids[i], "labels": self.ids[i]}


def main():
    set_seed(6)
    config = GPT2Config(vocab_size=10, n_positions=16, n_embd=24, n_layer=1, n_head=2, bos_token_id=0, eos_token_id=0)
    model = GPT2LMHeadModel(config)
    with tempfile.TemporaryDirectory() as out:
        args = TrainingArguments(
            output_dir=out, max_steps=20, per_device_train_batch_size=16, learning_rate=1e-2,
            save_strategy="no", report_to=[], disable_tqdm=True,
        )
        trainer = Trainer(model=model, args=args, train_dataset=Counting(160))
        loss = trainer.train().training_loss

    device = trainer.args.device
    prompt = torch.tensor([[3, 4, 5]], device=device)
    model.eval()
    with torch.no_grad():
        following = model(prompt).logits[0, -1].argmax().item()
    print("after 5 comes", following)
    print("RESULT", loss)


if __name__ == "__main__":
    main()
