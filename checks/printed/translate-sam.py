"""Translates a template of AWS SAM as CloudFormation does: translate-sam.py <template.yaml> <translated.json>"""

import json
import sys
from types import SimpleNamespace

from samtranslator.translator.transform import transform
from samtranslator.yaml_helper import yaml_parse

template, translated = sys.argv[1:]
with open(template) as source, open(translated, "w") as target:
    # No managed policy is referred to by its name, so that none has to be looked up.
    json.dump(transform(yaml_parse(source.read()), {}, SimpleNamespace(load=dict)), target)
