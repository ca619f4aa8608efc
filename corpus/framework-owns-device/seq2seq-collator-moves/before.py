"""Teach a tiny T5 to reverse short digit sequences."""
import tempfile

import torch
from torch.nn.utils.rnn import pad_sequence
from transformers import Seq2SeqTrainer, Seq2SeqTrainingArguments, T5Config, T5ForConditionalGeneration, set_seed

device = "cuda" if torch.cuda.is_available() else "cpu"
PAD, EOS = 0, 1


def make_examples(count, seed):
    g = torch.Generator().manual_seed(seed)
    examples = []
    for _ in range(count):
        length = int(torch.randint(3, 7, (1,), generator=g))
        digits = torch.randint(2, 12, (length,), generator=g)
        end = torch.tensor([EOS])
        examples.append({"input_ids": torch.cat([digits, end]), "labels": torch.cat([digits.flip(0), end])})
    return examples


def data_collator(features):
    input_ids = pad_sequence([f["input_ids"] for f in features], batch_first=True, padding_value=PAD)
    labels = pad_sequence([f["labels"] for f in features], batch_first=True, padding_value=-100)
    return {
        "input_ids": input_ids.to(device),
        "attention_mask": (input_ids != PAD).long().to(device),
        "labels": labels.to(device),
    }


def main():
    set_seed(0)
    config = T5Config(
        vocab_size=12, d_model=32, d_kv=8, d_ff=64, num_layers=1, num_heads=4,
        decoder_start_token_id=PAD, pad_token_id=PAD, eos_token_id=EOS, dropout_rate=0.0,
    )
    model = T5ForConditionalGeneration(config)
    with tempfile.TemporaryDirectory() as folder:
        args = Seq2SeqTrainingArguments(
            output_dir=folder,
            per_device_train_batch_size=16,
            max_steps=12,
            learning_rate=5e-3,
            logging_steps=4,
            save_strategy="no",
            report_to=[],
            disable_tqdm=True,
        )
        trainer = Seq2SeqTrainer(
            model=model, args=args, train_dataset=make_examples(128, seed=0), data_collator=data_collator
        )
        outcome = trainer.train()
    print("RESULT", outcome.training_loss)


if __name__ == "__main__":
    main()
