"""Which attributes of a model whose code is not here are submodules: what is called there may as well be one of its methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import TRUE, Obj, Ref, Value

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: The fact of an attribute that may be a method of the whole: nothing is known of what calling it computes.
_MAYBE_METHOD = "perhaps a method"

#: What models of transformers, torchvision, timm and diffusers call their parts. No model of the first two has a method of such
#: a name, as their sources say (transformers 5, torchvision 0.28); a transform's ``transform`` is no model's.
_PARTS = frozenset(
    "albert audio_encoder audio_tower avgpool aux_classifier backbone bart base_model bert bn1 bn2 bn3 box_head classifier "
    "classification_head clip cls conv1 conv2 conv3 conv_head conv_in conv_out conv_stem convnext decode_head decoder deberta "
    "deit distilbert downsample electra embed_in embed_out embed_positions embed_tokens embedder embedding embeddings encoder "
    "fc fc1 fc2 fc3 fc_norm feature_extractor feature_projection features final_layer_norm fpn global_pool gpt_neox h head "
    "head_dist heads hubert image_encoder joint language_model language_projection layer layer1 layer2 layer3 layer4 layers "
    "layer_norm layernorm lm_head ln_f longformer mask_decoder maxpool mid_block mlp model multi_modal_projector neck norm "
    "norm_pre output_proj patch_embed patch_embedding pool pooler post_layernorm pos_drop pre_classifier "
    "pre_layernorm proj proj_in proj_out projection projector prompt_encoder qa_outputs qformer quant_conv post_quant_conv "
    "regression_head relu resnet roberta roi_heads rotary_emb rpn score shared shared_embedding stem swin text_decoder "
    "text_encoder text_model text_projection time_embedding time_proj transform transformer token_embedding unet v_proj "
    "vision_adapter vision_encoder vision_model vision_tower visual visual_projection vit wav2vec2 word_embeddings wpe wte "
    "xlm_roberta".split()
)


def facts(name: str) -> dict[str, Value]:
    """What is known of an attribute that neither ``nn.Module`` nor the program sets."""
    return {} if name in _PARTS else {_MAYBE_METHOD: TRUE}


def may_be_method(obj: Obj) -> bool:
    """Whether calling something may be calling a method of a model, and not running a layer."""
    return _MAYBE_METHOD in obj.facts


def use_as_module(interp: Interpreter, ref: Ref) -> None:
    """Something is asked for what methods do not have: parameters, hooks, a part of its own."""
    obj = interp.obj(ref)
    if may_be_method(obj):
        kept = {fact: value for fact, value in obj.facts.items() if fact != _MAYBE_METHOD}
        interp.update(ref, replace(obj, facts=kept))
