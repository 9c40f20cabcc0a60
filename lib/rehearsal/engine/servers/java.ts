import { execFile } from 'node:child_process';

/** DynamoDB Local 3 is compiled for Java 17; an older one ends at once with an `UnsupportedClassVersionError`. */
const oldestJava = 17;

const install = [
  `Install Java ${oldestJava} or newer and put \`java\` on the PATH:`,
  `  macOS            brew install --cask temurin`,
  `  Debian, Ubuntu   sudo apt-get install openjdk-${oldestJava}-jre-headless`,
  `  Fedora           sudo dnf install java-latest-openjdk-headless`,
].join('\n');

/** Java is missing or too old for DynamoDB Local. The message says what was found and what to install. */
export class MissingJavaError extends Error {
  override readonly name = 'MissingJavaError';
  /** The major version that was found, or `undefined` when there is no Java at all. */
  readonly found: number | undefined;

  constructor(found: number | undefined) {
    const reason = found === undefined ? '`java` was not found.' : `\`java\` is version ${found}, which is too old.`;
    super(`DynamoDB Local needs Java ${oldestJava} or newer, and ${reason}\n${install}`);
    this.found = found;
  }
}

/** Reads the major version out of what `java -version` prints: `"17.0.15"` is 17, and `"1.8.0_402"` is 8. */
export function javaMajorVersion(printed: string): number | undefined {
  const match = /version "(\d+)(?:\.(\d+))?/.exec(printed);
  if (match === null) return undefined;
  const [first, second] = [Number(match[1]), Number(match[2] ?? '0')];
  return first === 1 ? second : first;
}

/**
 * Makes sure that a Java that can run DynamoDB Local is there.
 *
 * @throws MissingJavaError if it is not. Checked first, because a server that cannot start looks like a slow server.
 */
export async function requireJava(): Promise<void> {
  const printed = await new Promise<string | undefined>((resolve) => {
    execFile('java', ['-version'], { timeout: 20_000 }, (error, stdout, stderr) => {
      // macOS ships a `java` that only says there is no Java, and fails.
      resolve(error === null ? `${stdout}\n${stderr}` : undefined);
    });
  });
  const found = printed === undefined ? undefined : javaMajorVersion(printed);
  if (found === undefined || found < oldestJava) throw new MissingJavaError(found);
}
