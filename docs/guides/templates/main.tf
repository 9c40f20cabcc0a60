terraform {
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.20"
    }
  }
}

variable "send_email_package" {
  type        = string
  description = "The path of the zip file with the handler, index.mjs or index.js at its top"
}

# The claims of every consumer: one table is enough.
# Refused (tableReplicas): a claims table with replicas in other regions. Reason: two regions can
# both grant the same claim; with strong consistency they cannot, and such a table has no
# transactions and no TTL.
resource "aws_dynamodb_table" "claims" {
  name         = "claims"
  billing_mode = "PAY_PER_REQUEST"

  # Refused (tableKey): a claims table whose key is not `id`, a string. Reason: pawl cannot write a
  # claim.
  hash_key = "id"

  # Warned (tableDeletion): a claims table without deletion protection; in a template, a policy that
  # retains the table is enough. Reason: if the table is deleted, pawl forgets what happened, and
  # repeats effects.
  deletion_protection_enabled = true

  attribute {
    name = "id"
    type = "S"
  }

  attribute {
    name = "open"
    type = "S"
  }

  attribute {
    name = "firstSeenAt"
    type = "N"
  }

  global_secondary_index {
    name               = "open"
    hash_key           = "open"
    range_key          = "firstSeenAt"
    projection_type    = "INCLUDE"
    non_key_attributes = ["status", "fence", "attempts", "abandoned", "leaseUntil", "unknownAt", "error", "attributes"]
  }

  # Refused (tableTtl): a claims table whose TTL attribute is not `expiresAt`. Reason: DynamoDB
  # deletes claims too early, or never.
  # Warned (tableGrows): a claims table without TTL. Reason: the table grows for ever.
  ttl {
    attribute_name = "expiresAt"
    enabled        = true
  }

  # Warned (tableRecovery): a claims table without point-in-time recovery. Reason: you cannot
  # restore claims that were deleted by mistake.
  point_in_time_recovery {
    enabled = true
  }

  # Encrypted at rest all the same, with a key that DynamoDB owns, at no charge. If true, with a key
  # of KMS, which the role then has to use.
  server_side_encryption {
    enabled = false
  }

  lifecycle {
    prevent_destroy = true
  }
}

resource "aws_sqs_queue" "send_email_dead_letters" {
  name                    = "send-email-dead-letters"
  sqs_managed_sse_enabled = true

  # Refused (deadLetterRetention): a dead-letter queue whose retention is below that of the queue,
  # or below one day. Reason: on a standard queue the age counts from the first send: SQS deletes
  # dead letters before an operator sees them.
  message_retention_seconds = 1209600
}

resource "aws_sqs_queue" "send_email" {
  name                    = "send-email"
  sqs_managed_sse_enabled = true

  # Refused (visibility): a visibility timeout below 6 × function timeout + batching window. Reason:
  # SQS delivers messages again while the function still works on them.
  # Refused (lease): `lease` longer than the visibility timeout. Reason: after a crash, a message
  # returns before its claim is free, and uses up receives.
  visibility_timeout_seconds = 180

  # Refused (queueRetention): a queue that keeps messages for less than `maxReceiveCount` visibility
  # timeouts, or less than 5. Reason: if workers keep dying, SQS deletes the message before it
  # reaches the dead-letter queue.
  # Refused (claimRetention): `claimRetention` below the retention of the queue plus that of the
  # dead-letter queue. Reason: after a late redrive the claim is gone, and the effect happens again.
  message_retention_seconds = 345600

  # Refused (deadLetterQueue): a queue without a dead-letter queue, or an imported queue without
  # `deadLetterQueue`. Reason: SQS deletes a message that keeps failing, and no operator sees it.
  # Refused (deadLetterQueueItself): a queue that is its own dead-letter queue. Reason: a message
  # that can never run comes back for ever.
  # Refused (deadLetterQueueOther): a `deadLetterQueue` that is not the one in the redrive policy.
  # Reason: dead letters arrive in two queues, and the alarm watches one of them.
  # Refused (receives): `maxReceiveCount` below what a healthy message may need. Reason: SQS
  # dead-letters healthy messages that never ran.
  redrive_policy = jsonencode({
    deadLetterTargetArn = aws_sqs_queue.send_email_dead_letters.arn
    maxReceiveCount     = 5
  })
}

resource "aws_sqs_queue_policy" "send_email" {
  queue_url = aws_sqs_queue.send_email.url
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [
      {
        Effect = "Deny"
        Principal = {
          AWS = "*"
        }
        Action   = "sqs:*"
        Resource = aws_sqs_queue.send_email.arn
        Condition = {
          Bool = {
            "aws:SecureTransport" = "false"
          }
        }
      },
    ]
  })
}

resource "aws_sqs_queue_policy" "send_email_dead_letters" {
  queue_url = aws_sqs_queue.send_email_dead_letters.url
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [
      {
        Effect = "Deny"
        Principal = {
          AWS = "*"
        }
        Action   = "sqs:*"
        Resource = aws_sqs_queue.send_email_dead_letters.arn
        Condition = {
          Bool = {
            "aws:SecureTransport" = "false"
          }
        }
      },
    ]
  })
}

resource "aws_cloudwatch_log_group" "send_email" {
  name              = "/aws/lambda/send-email"
  retention_in_days = 30
}

resource "aws_iam_role" "send_email" {
  name = "send-email-consumer"
  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [
      {
        Effect = "Allow"
        Principal = {
          Service = "lambda.amazonaws.com"
        }
        Action = "sts:AssumeRole"
      },
    ]
  })
}

resource "aws_iam_role_policy" "send_email" {
  name = "pawl"
  role = aws_iam_role.send_email.id

  # The function needs all of these. None of them deletes, scans or queries claims.
  # Refused (permissionsDenied): a permission that a policy of the role denies. Reason: a denial
  # overrides every grant.
  # Refused (permissionsBoundary): a permissions boundary that leaves out a permission the consumer
  # needs. Reason: a boundary limits every grant.
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [
      {
        Sid    = "Claims"
        Effect = "Allow"
        Action = [
          "dynamodb:BatchGetItem",
          "dynamodb:PutItem",
          "dynamodb:PartiQLInsert",
          "dynamodb:PartiQLUpdate",
          "dynamodb:GetItem",
          "dynamodb:DescribeTable",
        ]
        Resource = aws_dynamodb_table.claims.arn
      },
      {
        Sid    = "Consume"
        Effect = "Allow"
        Action = [
          "sqs:ReceiveMessage",
          "sqs:DeleteMessage",
          "sqs:ChangeMessageVisibility",
          "sqs:GetQueueAttributes",
        ]
        Resource = aws_sqs_queue.send_email.arn
      },
      {
        Sid      = "DeadLetters"
        Effect   = "Allow"
        Action   = ["sqs:SendMessage"]
        Resource = aws_sqs_queue.send_email_dead_letters.arn
      },
      {
        Sid    = "Logs"
        Effect = "Allow"
        Action = [
          "logs:CreateLogStream",
          "logs:PutLogEvents",
        ]
        Resource = "${aws_cloudwatch_log_group.send_email.arn}:*"
      },
    ]
  })
}

resource "aws_lambda_function" "send_email" {
  function_name    = "send-email"
  role             = aws_iam_role.send_email.arn
  filename         = var.send_email_package
  source_code_hash = filebase64sha256(var.send_email_package)
  handler          = "index.handler"
  architectures    = ["arm64"]
  memory_size      = 512

  # Refused (runtime): a runtime other than Node 22 or later. Reason: pawl uses features that older
  # runtimes lack: the first batch throws.
  runtime = "nodejs24.x"

  # Refused (handlerTimeout): `handlerTimeout`, plus 1 s to record the outcome, not shorter than the
  # function’s timeout. Reason: no message ever starts: pawl starts only what can end in time.
  timeout = 30

  logging_config {
    log_format = "Text"
    log_group  = aws_cloudwatch_log_group.send_email.name
  }

  # The handler reads both: dynamoStore({ tableName: process.env.CLAIMS_TABLE }) and
  # deadLetterQueue(process.env.DEAD_LETTER_QUEUE_URL).
  environment {
    variables = {
      NODE_OPTIONS          = "--enable-source-maps"
      CLAIMS_TABLE          = aws_dynamodb_table.claims.name
      DEAD_LETTER_QUEUE_URL = aws_sqs_queue.send_email_dead_letters.url
    }
  }
}

# Refused (oneEventSource): two event sources from the queue to the function, or to an alias of it.
# Reason: Lambda refuses the second. If one leads to an alias, two settings compete for the
# messages.
# Refused (oneConsumer): a queue that feeds two functions. Reason: each message goes to one of them
# by chance.
# Warned (eventFilters): event filters. Reason: Lambda deletes the messages that do not match.
resource "aws_lambda_event_source_mapping" "send_email" {
  event_source_arn = aws_sqs_queue.send_email.arn
  function_name    = aws_lambda_function.send_email.arn

  # Refused (batch): a batch size, a batching window or a `maxConcurrency` that Lambda refuses.
  # Reason: the deployment fails.
  batch_size = 10

  # Refused (partialResponses): an event source without partial responses. Reason: Lambda deletes
  # the messages that failed together with those that succeeded.
  function_response_types = ["ReportBatchItemFailures"]

  # Lambda checks the permissions on the queue when the event source is made.
  depends_on = [aws_iam_role_policy.send_email]
}

output "send_email_queue_url" {
  value = aws_sqs_queue.send_email.url
}

output "send_email_function_name" {
  value = aws_lambda_function.send_email.function_name
}
