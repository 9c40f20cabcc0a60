import type { SqsMessageAttribute } from '../../lib/pawl/sqs/event.ts';
import type { Intent, Traffic } from './parts.ts';
import type { Simulation } from './simulation.ts';
import type { Sent } from './sqs/queue.ts';

/** Producers: they send once, twice, with another payload under the same key, or what nobody can read. */
export function startTraffic({ world, scenario, queue, deadLetters, stats }: Simulation): Traffic {
  const { random } = world;
  const { traffic: plan } = scenario;
  const byMessage = new Map<string, Intent>();
  /** No two sends have the same body. */
  const byBody = new Map<string, Intent>();
  const intents = new Map<string, Intent>();
  const refused = new Set<string>();
  const poison = new Set<string>();
  let planned = 0;
  let sends = 0;

  function send(intent: Intent, message: Sent): void {
    // A producer that sends again does not know that it does.
    const sent = queue.send({ ...message, deduplicationId: `d${++sends}` });
    if (sent === undefined) return;
    stats.messages++;
    intents.set(intent.name, intent);
    byMessage.set(sent.id, intent);
    byBody.set(sent.body, intent);
    world.note('producer', 'sends', `${sent.id} ${intent.name}${message.group ? ` in ${message.group}` : ''}`);
  }

  function sendLater(intent: Intent, message: Sent): void {
    planned++;
    world.after(random.between(0, plan.forMs), () => {
      planned--;
      send(intent, message);
    });
  }

  function order(key: string, group: string, amount: number): void {
    const payload = String(amount);
    const again = () => JSON.stringify({ ...(plan.keyIn === 'body' && { orderId: key }), amount, sentAt: ++sends });
    const attributes: Record<string, SqsMessageAttribute> =
      plan.keyIn === 'attribute' ? { orderId: { dataType: 'String', stringValue: key } } : {};
    const intent = { name: `${key}:${payload}`, key, payload };
    sendLater(intent, { body: again(), attributes, group });
    while (random.chance(plan.sentAgain)) {
      sendLater(intent, { body: again(), attributes, group: random.chance(plan.otherGroup) ? drawGroup() : group });
    }
  }

  const drawGroup = () => `g${random.below(plan.groups)}`;

  for (let i = 1; i <= plan.keys; i++) {
    const key = random.chance(0.03) ? `o${i}-${'x'.repeat(2100)}` : `o${i}`;
    const group = drawGroup();
    if (random.chance(plan.refused)) refused.add(key);
    if (random.chance(plan.poison)) poison.add(key);
    order(key, group, 500);
    if (random.chance(plan.otherPayload)) order(key, group, 900);
    if (random.chance(plan.unusable)) {
      const body = random.pick([
        `{"amount":${i}}`,
        `{"orderId":"","amount":${i}}`,
        `{"orderId":{},"amount":${i}}`,
        `no JSON ${i}`,
      ]);
      const attributes = plan.keyIn === 'attribute' ? { other: { dataType: 'String', stringValue: 'x' } } : {};
      sendLater({ name: `unusable-${i}`, key: undefined, payload: body }, { body, attributes, group: drawGroup() });
    }
  }

  return {
    intentOf: (id) => byMessage.get(id),
    intentOfBody: (body) => byBody.get(body),
    intents: () => intents.values(),
    isRefused: (key) => refused.has(key),
    isPoison: (key) => poison.has(key),
    redrive(message) {
      const { body, attributes, group } = message;
      const intent = byBody.get(body);
      deadLetters.remove(message, 'redriven');
      if (intent) send(intent, { body, attributes, group });
    },
    isOver: () => planned === 0,
  };
}
