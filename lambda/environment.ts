/** @throws Error at the cold start, naming the variable: better than at the first message */
export function required(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') {
    throw new Error(`the environment variable ${name} is not set on this function; the CDK app sets it`);
  }
  return value;
}
