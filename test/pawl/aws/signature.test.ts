import { it } from 'vitest';
import { expectSameSignatures } from '../../support/signatures.ts';

it('signs random requests exactly as the AWS SDK does', () => expectSameSignatures(1000));
