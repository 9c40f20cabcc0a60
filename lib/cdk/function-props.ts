import type { Duration } from 'aws-cdk-lib';
import type { Architecture, ILayerVersion, Tracing } from 'aws-cdk-lib/aws-lambda';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { NamesOf } from 'pawl/deployment';

/** How a function is made from `entry`. Beside an existing `function`, these are refused. */
export interface ConsumerFunctionProps {
  /**
   * The path of the file that holds the Lambda handler; it is bundled with esbuild at synth time.
   *
   * @default - none; then `function` is required
   */
  readonly entry?: string;

  /**
   * The name under which `entry` exports the handler.
   *
   * @default 'handler'
   */
  readonly handler?: string;

  /**
   * How long one batch may take. Every other time follows from it.
   *
   * @default Duration.seconds(30)
   */
  readonly timeout?: Duration;

  /**
   * The function's memory in MB, which also decides its share of a CPU.
   *
   * @default 512
   */
  readonly memorySize?: number;

  /**
   * The function's instruction set.
   *
   * @default Architecture.ARM_64
   */
  readonly architecture?: Architecture;

  /**
   * Further environment variables of the function. `CLAIMS_TABLE` and `DEAD_LETTER_QUEUE_URL` are set for you and cannot be
   * set here; nor should secrets be, which everyone who may describe the function can read.
   *
   * @default - none
   */
  readonly environment?: Readonly<Record<string, string>>;

  /**
   * How long the function's logs are kept.
   *
   * @default RetentionDays.ONE_MONTH
   */
  readonly logRetention?: RetentionDays;

  /**
   * Whether the function is traced with X-Ray. X-Ray has no resources to be named in a permission: the function's role may then
   * write traces, on `*`. For OpenTelemetry leave it off, and see `layers`.
   *
   * @default Tracing.DISABLED
   */
  readonly tracing?: Tracing;

  /**
   * Layers of the function, for instance an OpenTelemetry collector; `environment` may name its `AWS_LAMBDA_EXEC_WRAPPER`.
   *
   * @default - none
   */
  readonly layers?: readonly ILayerVersion[];

  /**
   * The path of the package lock file; bundling takes its folder as the root, and `entry` must be below it.
   *
   * @default - the lock file found in the working directory or the nearest folder above it
   */
  readonly depsLockFilePath?: string;
}

export const functionPropNames = {
  entry: true,
  handler: true,
  timeout: true,
  memorySize: true,
  architecture: true,
  environment: true,
  logRetention: true,
  tracing: true,
  layers: true,
  depsLockFilePath: true,
} as const satisfies NamesOf<ConsumerFunctionProps>;
