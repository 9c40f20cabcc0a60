import type { Assembly } from './app/assembly.ts';
import type { Reading } from './app/reading.ts';
import type { TypeRules } from './app/rule.ts';
import type { Destinations, Send } from './destinations.ts';
import type { Asynchronous } from './lambda/asynchronous.ts';
import type { Functions } from './lambda/functions.ts';
import type { LambdaLocal } from './lambda/lambda.ts';
import type { Machine } from './machine.ts';
import type { MappingSource } from './mappings.ts';
import type { Part } from './parts.ts';
import type { Provisioned, ProvisionOptions } from './provisioned.ts';
import type { Doors } from './servers/doors.ts';
import type { Endpoint, Servers } from './servers/servers.ts';
import type { OnCarriedOut } from './servers/tap.ts';

/**
 * A service of AWS, as a rehearsal stands in for it. Each is one plain object in a folder of `services/`, with one line in `services/registry.ts`.
 *
 * The engine knows no service. It reads functions and their mappings, starts servers and sandboxes, and asks these objects for the rest, in the
 * sequence of the registry.
 */
export interface Service<P extends Part = never, Faults = object, Endpoint extends string = never> {
  /** What becomes of its resources, and what they are called. */
  readonly types: TypeRules;
  /** Its rows in docs/reference/rehearsal-resources.md: a resource, and what of it is run, listed and refused. */
  readonly page: readonly string[];
  /** The kinds of parts that a caller finds by a construct, and the words for each in a message. */
  readonly finds?: { readonly [Kind in P['kind']]?: string };
  /** Where functions find it. */
  readonly endpoint?: ServiceEndpoint<Endpoint>;
  /** Takes what AWS itself sends to one of its ARNs: notifications, events of schedules, failed events. */
  readonly destination?: { readonly arnService: string; readonly send: Send };
  /** What stands in templates for the addresses of its servers. Each gets a server, before the environment of any function is read. */
  readonly hosts?: (reading: Reading) => readonly string[];
  /** Creates what the templates describe, and reads what is to be started. The functions of the app are read by then. */
  readonly provision?: (at: Provisioning) => Promise<Made<P, Faults>>;
}

export interface ServiceEndpoint<Name extends string> extends Omit<Endpoint<Name>, 'onCarriedOut'> {
  /** As the SDK has it in `AWS_ENDPOINT_URL_…`, in lower case. What goes wrong at its tap has this name too. */
  readonly name: Name;
  /** What a story calls the service. */
  readonly title: string;
  /** Called for each request that was carried out, once the app runs: before the caller has its response. */
  readonly onCarriedOut?: (at: Starting, ...request: Parameters<OnCarriedOut>) => Promise<void>;
}

export interface Provisioning {
  readonly reading: Reading;
  readonly servers: Pick<Servers, 'dynamo' | 'sqs' | 'quiet'>;
  /** What the services in front of this one have made. */
  readonly parts: readonly Part[];
  /** Whether events can be sent to an ARN of this service. */
  readonly canSendTo: (arnService: string) => boolean;
}

/** What a service has made of an app. */
export interface Made<P extends Part = Part, Faults = never> {
  /** What is there before anything runs. */
  readonly parts?: readonly P[];
  readonly source?: MappingSource;
  /** Starts what hands events to functions. Returns what is found from then on. */
  readonly start?: (at: Starting, faults: Faults) => Promise<readonly P[]>;
}

/** A rehearsal while it is started, and what it stands on. */
export interface Starting {
  readonly services: readonly { readonly types: TypeRules }[];
  readonly machine: Machine;
  readonly servers: Servers;
  readonly lambda: LambdaLocal;
  readonly functions: Functions;
  readonly doors: Doors;
  readonly destinations: Destinations;
  readonly asynchronous: Asynchronous;
  readonly provisioned: Provisioned;
  /** What the author says of the app's templates. */
  readonly options: ProvisionOptions;
  /** Removes the folder of an assembly with the rehearsal. */
  readonly keep: (assembly: Assembly) => Assembly;
  /** What hands events to functions. All of it ends together. */
  readonly sources: { stop(): Promise<void> }[];
}
