"""Starts MiniStack with what stood in our way put right.

With AUTH=true it evaluates IAM and resource policies for every call, so that a permission that the stack forgot fails here
as it would in an account. But it names some actions as the API does, where IAM has other names, and would refuse what AWS permits.
Its CloudFormation drops two properties of a table in silence, which `pawl doctor` then misses. And its SQS lacks a call.
"""

import functools
import json
import os
import re

from ministack import app
from ministack.core import iam_actions, iam_evaluator, tls
from ministack.services import cloudformation, dynamodb, lambda_svc, sqs, sts
from ministack.services.cloudformation import provisioners

_action = iam_actions.extract_iam_action
_resource = iam_actions.extract_resource_arn
_checks = iam_actions.dynamodb_transaction_checks

_STATEMENT = re.compile(
    r'\s*(INSERT\s+INTO|UPDATE|DELETE\s+FROM|SELECT\b.*?\bFROM)\s+(?:"([^"]+)"|([^"\s.]+))', re.IGNORECASE | re.DOTALL
)


def extract_iam_action(service, *args, **kwargs):
    """SQS has no action for a batch: `sqs:ChangeMessageVisibility` permits ChangeMessageVisibilityBatch as well."""
    action = _action(service, *args, **kwargs)
    if service == "sqs" and action and action.endswith("Batch"):
        return action[: -len("Batch")]
    return action


def extract_resource_arn(service, *args, **kwargs):
    """A stack that exists is permitted by its id, also for a caller who names it. Only for one that does not exist, AWS asks for `stack/name/*`."""
    arn = _resource(service, *args, **kwargs)
    if service == "cloudformation" and arn.endswith("/*"):
        stack = cloudformation._stacks.get(arn.split("/")[1])
        if stack:
            return stack["StackId"]
    return arn


def list_dead_letter_source_queues(_, url):
    """The queues whose redrive policy names this one."""
    arn = sqs._get_q(url)["attributes"]["QueueArn"]
    policies = {url: json.loads(q["attributes"].get("RedrivePolicy") or "{}") for url, q in sqs._queues.items()}
    return {"queueUrls": [url for url, policy in policies.items() if policy.get("deadLetterTargetArn") == arn]}


def dynamodb_transaction_checks(iam_action, body, region, account_id):
    """PartiQL is permitted statement by statement, as PartiQLInsert, PartiQLUpdate … on its table."""
    if iam_action not in (
        "dynamodb:ExecuteStatement",
        "dynamodb:BatchExecuteStatement",
        "dynamodb:ExecuteTransaction",
    ):
        return _checks(iam_action, body, region, account_id)
    request = json.loads(body or b"{}")
    statements = request.get("Statements") or request.get("TransactStatements") or [request]
    checks = []
    for statement in statements:
        found = _STATEMENT.match(statement.get("Statement", ""))
        if found:
            verb = found.group(1).split()[0].capitalize()
            table = found.group(2) or found.group(3)
            checks.append((f"dynamodb:PartiQL{verb}", f"arn:aws:dynamodb:{region}:{account_id}:table/{table}"))
    return checks


_enforce = iam_evaluator.enforce


def enforce(access_key_id, iam_action, *args, **kwargs):
    """Prints what a person who has assumed a role was permitted to do: `PERMITTED role action`. The SDK names such a session `aws-sdk-js-…`."""
    denied = _enforce(access_key_id, iam_action, *args, **kwargs)
    session = sts._sessions.get(access_key_id)
    if session and not denied:
        role, name = session["Arn"].split("/")[-2:]
        if name.startswith("aws-sdk-js-"):
            print(f"PERMITTED {role} {iam_action}", flush=True)
    return denied


_create_table = provisioners._RESOURCE_HANDLERS["AWS::DynamoDB::Table"]["create"]


def create_table(logical_id, props, stack_name):
    """The table's TTL and point-in-time recovery, by the API's own calls."""
    name, attributes = _create_table(logical_id, props, stack_name)
    for prop, update in (
        ("TimeToLiveSpecification", dynamodb._update_ttl),
        ("PointInTimeRecoverySpecification", dynamodb._update_continuous_backups),
    ):
        if prop in props:
            status, _, body = update({"TableName": name, prop: props[prop]})
            if status >= 400:
                raise ValueError(f"{prop} was refused: {body!r}")
    return name, attributes


_alarm_record = provisioners._cw_metric_alarm_record


def alarm_record(name, props):
    """An alarm over an expression is made over the first of its metrics: no alarm goes off here."""
    for query in props.get("Metrics") or []:
        if "MetricStat" in query:
            metric = query["MetricStat"]["Metric"]
            others = {key: value for key, value in props.items() if key != "Metrics"}
            props = {**others, **metric, "Statistic": "Sum"}
            break
    return _alarm_record(name, props)


provisioners._cw_metric_alarm_record = alarm_record
iam_evaluator.enforce = enforce
iam_actions.extract_iam_action = extract_iam_action
iam_actions.extract_resource_arn = extract_resource_arn
iam_actions.dynamodb_transaction_checks = dynamodb_transaction_checks
provisioners._RESOURCE_HANDLERS["AWS::DynamoDB::Table"]["create"] = create_table
sqs._HANDLERS["ListDeadLetterSourceQueues"] = list_dead_letter_source_queues
# Five would start more processes than a small machine can carry before their functions time out.
lambda_svc._ESM_SQS_DEFAULT_CONCURRENCY = int(os.environ["BATCHES_AT_ONCE"])
# It would start openssl for every process of a function, to look at a certificate that does not change.
tls.resolve_tls_material = functools.cache(tls.resolve_tls_material)
# With TLS it would also take port 443, for Cognito, which nothing here uses.
app._port_is_bindable = lambda *_: False

app.main()
