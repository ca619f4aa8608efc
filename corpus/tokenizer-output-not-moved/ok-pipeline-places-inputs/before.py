import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast, pipeline


def small_parts(words):
    vocab = {w: i for i, w in enumerate(["[PAD]", "[UNK]", *words])}
    tok = Tokenizer(models.WordLevel(vocab, unk_token="[UNK]"))
    tok.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=tok, pad_token="[PAD]", unk_token="[UNK]")
    config = BertConfig(vocab_size=len(vocab), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
                        intermediate_size=32, max_position_embeddings=16, num_labels=2)
    return tokenizer, BertForSequenceClassification(config)


def main():
    torch.manual_seed(2)
    tokenizer, model = small_parts("call me now win money later meeting today".split())
    device = 0 if torch.cuda.is_available() else -1
    classify = pipeline("text-classification", model=model, tokenizer=tokenizer, device=device)
    answers = classify(["win money now", "meeting later today", "call me"], batch_size=2)
    for answer in answers:
        print(answer["label"], round(answer["score"], 4))
    print("RESULT", sum(a["score"] for a in answers) / len(answers))


if __name__ == "__main__":
    main()
