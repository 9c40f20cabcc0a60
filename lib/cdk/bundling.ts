import { type BundlingOptions, LogLevel, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';

/**
 * How a consumer is bundled, in one place: the construct, the size check and the tests all build with these.
 *
 * `mainFields` asks for packages' ES modules first; the CommonJS ones cannot be tree-shaken, and the AWS SDK is most of a
 * bundle. The banner gives what was bundled from CommonJS a `require`, for the built-in modules it still asks for, under a
 * name of its own: a second top-level `createRequire` would be a syntax error.
 */
export const bundleOptions = {
  format: 'esm',
  target: 'node24',
  minify: true,
  sourcesContent: false,
  mainFields: ['module', 'main'],
  banner:
    "import{createRequire as __pawlCreateRequire}from'node:module';const require=__pawlCreateRequire(import.meta.url);",
} as const;

/** For `NodejsFunction`. */
export const bundling: BundlingOptions = {
  ...bundleOptions,
  format: OutputFormat.ESM,
  mainFields: [...bundleOptions.mainFields],
  sourceMap: true,
  // Nothing is left to the runtime: its SDK changes without a deployment, and is loaded unminified from disk.
  externalModules: [],
  logLevel: LogLevel.WARNING,
};
