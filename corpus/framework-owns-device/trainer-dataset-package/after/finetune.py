import tempfile

import torch
from transformers import BertForSequenceClassification, Trainer, TrainingArguments, set_seed

from modeling import tiny_bert
from reviews import ReviewDataset


def main():
    set_seed(3)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = BertForSequenceClassification(tiny_bert(labels=2))
    train_set = ReviewDataset(96, device, seed=0)
    test_set = ReviewDataset(32, device, seed=1)
    with tempfile.TemporaryDirectory() as out:
        args = TrainingArguments(
            output_dir=out,
            num_train_epochs=2,
            per_device_train_batch_size=16,
            per_device_eval_batch_size=32,
            learning_rate=2e-3,
            save_strategy="no",
            report_to="none",
            disable_tqdm=True,
        )
        trainer = Trainer(model=model, args=args, train_dataset=train_set, eval_dataset=test_set)
        trainer.train()
        scores = trainer.evaluate()
    print("RESULT", scores["eval_loss"])


if __name__ == "__main__":
    main()
