import { arnOf } from '../../engine/app/names.ts';
import { all, listed, type PropertyRules, run, runs, type TypeRules, withoutEffect } from '../../engine/app/rule.ts';

/** The bus that every account has. It is in no template. */
export const defaultBus = 'default';

export function busArn(name: string): string {
  return arnOf('events', `event-bus/${name}`);
}

const bus = {
  ...all(run, 'Name'),
  ...all(withoutEffect, 'Description', 'KmsKeyIdentifier', 'LogConfig', 'Policy', 'Tags'),
  DeadLetterConfig: listed('An event that its target refuses is in no dead-letter queue.'),
  EventSourceName: listed('No partner of AWS puts events.'),
} satisfies PropertyRules;

export const types: TypeRules = {
  'AWS::Events::EventBus': runs(bus, {
    property: 'Name',
    isUnique: true,
    names: (name) => ({ ref: name, name, attributes: { Arn: busArn(name), Name: name } }),
  }),
  'AWS::Events::EventBusPolicy': { kind: 'without-effect' },
  'AWS::Events::Archive': { kind: 'not-run', why: 'An event bus keeps no events, so none can be replayed.' },
};
