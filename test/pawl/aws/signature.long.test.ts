import { it } from 'vitest';
import { expectSameSignatures } from '../../support/signatures.ts';

it('signs 10,000 random requests exactly as the AWS SDK does', () => expectSameSignatures(10_000), 60_000);
