import torch


def mean_pool(hidden, attention_mask):
    mask = attention_mask.unsqueeze(-1).to(hidden.dtype)
    return (hidden * mask).sum(dim=1) / mask.sum(dim=1)


@torch.no_grad()
def embed(model, tokenizer, sentences):
    encoded = tokenizer(sentences, padding=True, return_tensors="pt").to(model.device)
    output = model(**encoded)
    return mean_pool(output.last_hidden_state, encoded["attention_mask"])
