import tempfile

import torch
from torch import nn
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed


class WeightedTrainer(Trainer):
    """The rare class counts four times as much."""

    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        logits = outputs.logits
        loss_fct = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 4.0], device=logits.device))
        loss = loss_fct(logits, labels)
        return (loss, outputs) if return_outputs else loss


def messages(count):
    g = torch.Generator().manual_seed(9)
    rows = []
    for i in range(count):
        spam = int(i % 5 == 0)
        ids = torch.randint(1, 30, (8,), generator=g) + 20 * spam
        rows.append({"input_ids": ids.tolist(), "attention_mask": [1] * 8, "labels": spam})
    return rows


if __name__ == "__main__":
    set_seed(9)
    config = BertConfig(
        vocab_size=60, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=12, num_labels=2,
    )
    with tempfile.TemporaryDirectory() as out:
        arguments = TrainingArguments(
            out, max_steps=10, per_device_train_batch_size=16, learning_rate=3e-3, logging_strategy="no",
            save_strategy="no", report_to=[], disable_tqdm=True,
        )
        trainer = WeightedTrainer(BertForSequenceClassification(config), arguments, train_dataset=messages(120))
        result = trainer.train()
    print("steps", result.global_step)
    print("RESULT", result.training_loss)
