import { parseArgs } from 'node:util';

export interface CommandLine {
  readonly messages: number;
  readonly minutes: number;
  readonly killShare: number;
  readonly json: boolean;
}

const defaults = { messages: 20_000, minutes: 10, killShare: 0.001 };

export const help = `Sends many messages through real servers and sandboxes, and looks at what grows, what slows down, what is lost and what happens twice.

Usage: npm run campaign -- soak [options]

  --messages <n>   how many orders are sent                              (${defaults.messages})
  --minutes <n>    when to stop sending, at the latest                   (${defaults.minutes})
  --kill <share>   share of orders whose sandbox is killed, from 0 to 1  (${defaults.killShare})
  --json           the result as one line of JSON only
  --help           this text

Needs Java 17 for DynamoDB Local. Needs no AWS account, and no network.
Exits with 0 if every order that was sent has one card or is in the dead-letter queue, and with 1 otherwise.`;

/** @throws TypeError when an option makes no sense */
export function readCommandLine(args: readonly string[]): CommandLine | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      messages: { type: 'string' },
      minutes: { type: 'string' },
      kill: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  const number = (name: 'messages' | 'minutes' | 'kill', otherwise: number, least: number, most: number) => {
    const value = values[name] === undefined ? otherwise : Number(values[name]);
    if (value >= least && value <= most) return value;
    throw new TypeError(`--${name} must be a number from ${least} to ${most}; got ${values[name]}.`);
  };
  return {
    messages: Math.floor(number('messages', defaults.messages, 100, 10_000_000)),
    minutes: number('minutes', defaults.minutes, 0.1, 24 * 60),
    killShare: number('kill', defaults.killShare, 0, 1),
    json: values.json,
  };
}
