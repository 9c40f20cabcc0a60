import type { LocalServers } from './servers/servers.ts';

/** Sends what AWS itself sends, by the ARN of a target: past all faults, which are about what functions do. */
export interface Destinations {
  /**
   * A value that is no text is sent as JSON.
   *
   * @throws Error if the ARN is of another kind of target
   */
  send(arn: string, value: unknown, attributes?: Readonly<Record<string, string>>, groupId?: string): Promise<void>;
}

interface Sent {
  readonly arn: string;
  /** The last part of the ARN. */
  readonly name: string;
  readonly value: unknown;
  readonly text: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly groupId: string | undefined;
}

/** Sends one value to a target of a service. */
export type Send = (servers: LocalServers, sent: Sent) => Promise<void>;

interface Receiver {
  readonly destination?: { readonly arnService: string; readonly send: Send };
}

/** The service whose ARNs are those of functions: an event goes to Lambda's own queue. */
const functions = 'lambda';

export function createDestinations(
  services: readonly Receiver[],
  servers: LocalServers,
  invoke: (functionArn: string, event: unknown) => void,
): Destinations {
  return {
    async send(arn, value, attributes = {}, groupId) {
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      const [, , service = '', , , name = ''] = arn.split(':');
      if (service === functions) return invoke(arn, value);
      const found = services.find(({ destination }) => destination?.arnService === service)?.destination;
      if (found === undefined) throw new Error(`A rehearsal sends nothing to ${arn}.`);
      await found.send(servers, { arn, name, value, text, attributes, groupId });
    },
  };
}

/** Whether something can be sent to ARNs of this service. */
export function canSendTo(services: readonly Receiver[], arnService: string): boolean {
  return arnService === functions || services.some(({ destination }) => destination?.arnService === arnService);
}
