import { generateKeyPairSync } from 'node:crypto';
import { App } from 'aws-cdk-lib';
import { expect, test } from 'vitest';
import { readSettings } from '../../shop/stacks/settings.ts';

const pem = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString();
const keyOf = (processorPublicKey: string) =>
  readSettings(new App({ context: { processorPublicKey } })).processorPublicKey;

test("the processor's key arrives whole, with line breaks or with \\n in their place, as `cdk -c` needs it", () => {
  expect(keyOf(pem)).toBe(pem);
  expect(keyOf(pem.replaceAll('\n', String.raw`\n`))).toBe(pem);
});
