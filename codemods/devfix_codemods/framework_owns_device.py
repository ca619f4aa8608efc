"""framework-owns-device: a Dataset or collator moves what a framework pins and moves itself."""

from collections.abc import Iterator

from devfix.rules import Facts, Finding, Rule, Unloading


class FrameworkOwnsDevice(Rule):
    """A Dataset or data collator moves tensors that a framework is going to pin and move itself.

    The Trainer of Hugging Face pins every batch (``dataloader_pin_memory=True`` is its default)
    and then moves it to its own device. A batch that is on the accelerator already cannot be
    pinned: "cannot pin 'torch.cuda.LongTensor' only dense CPU tensors can be pinned".

    The fix takes the moves out; the framework does the rest.

    Before::

        import torch
        from transformers import AutoModelForSequenceClassification, Trainer, TrainingArguments

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


        def collate(rows):
            return {"input_ids": torch.tensor([row["ids"] for row in rows]).to(device)}


        model = AutoModelForSequenceClassification.from_pretrained("tiny")
        rows = [{"ids": [1, 2, 3]}, {"ids": [4, 5, 6]}]
        trainer = Trainer(model=model, args=TrainingArguments("out"), train_dataset=rows, data_collator=collate)
        trainer.train()

    After::

        import torch
        from transformers import AutoModelForSequenceClassification, Trainer, TrainingArguments

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


        def collate(rows):
            return {"input_ids": torch.tensor([row["ids"] for row in rows])}


        model = AutoModelForSequenceClassification.from_pretrained("tiny")
        rows = [{"ids": [1, 2, 3]}, {"ids": [4, 5, 6]}]
        trainer = Trainer(model=model, args=TrainingArguments("out"), train_dataset=rows, data_collator=collate)
        trainer.train()
    """

    code, name = "DF601", "framework-owns-device"

    def check(self, facts: Facts) -> Iterator[Finding]:
        for unloading in Unloading.each(facts, list(self.caused(facts))):
            framework = unloading.mismatch.operation.rpartition(".")[2]
            message = (
                f"`{framework}` pins and moves the batches itself and cannot pin what is on the accelerator"
            )
            yield self.finding(unloading.mismatch, message, unloading.fixes(), at=unloading.first)
