import { defineComponent, h, ref } from 'vue';
import { type Estimate, estimatesOf, type Plan } from '../../../bench/cost/money/estimate.ts';
import { prices } from '../../../bench/cost/money/prices.ts';
import { data } from './cost.data.ts';

/** The cost calculator: four numbers in, a table out. All of it happens in the reader's browser. */

interface Field {
  readonly of: keyof Plan;
  readonly label: string;
  readonly min: number;
  readonly max: number;
}

const FIELDS: readonly Field[] = [
  { of: 'messages', label: 'Messages a month', min: 1, max: 1_000_000_000_000 },
  { of: 'size', label: 'Messages in a batch', min: 1, max: 10_000 },
  { of: 'handlerMs', label: 'Handler, ms', min: 0, max: 900_000 },
  { of: 'memoryMb', label: 'Memory, MB', min: 128, max: 10_240 },
];

const dollars = (sum: number) =>
  `$${sum.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;

export const CostCalculator = defineComponent({
  name: 'CostCalculator',
  setup() {
    const plan = ref<Plan>({ messages: 1_000_000, size: 10, handlerMs: 20, memoryMb: 512 });
    const take = ({ of, min, max }: Field, event: Event) => {
      const { value } = event.target as HTMLInputElement;
      const number = Number(value);
      if (value !== '' && Number.isFinite(number))
        plan.value = { ...plan.value, [of]: Math.min(max, Math.max(min, number)) };
    };
    return () =>
      h('div', { class: 'calculator' }, [
        h(
          'form',
          { onSubmit: (event: Event) => event.preventDefault() },
          FIELDS.map((field) => input(field, plan.value, take)),
        ),
        table(estimatesOf(plan.value, data, prices)),
        h('p', `List prices of ${prices.region}, entered on ${prices.date}, without the free tier.`),
      ]);
  },
});

function input(field: Field, plan: Plan, take: (field: Field, event: Event) => void) {
  const { of, label, min, max } = field;
  return h('label', [
    label,
    h('input', { type: 'number', name: of, min, max, value: plan[of], onInput: (event: Event) => take(field, event) }),
  ]);
}

function table(estimates: readonly Estimate[]) {
  const bare = estimates.find(({ name }) => name === 'middy')?.cost.total ?? 0;
  const head = ['a month', 'Lambda', 'DynamoDB', 'storage', 'SQS', 'in all', 'more than unprotected'];
  const row = ({ name, title, cost }: Estimate) => {
    const more = name === 'middy' ? '' : dollars(cost.total - bare);
    const sums = [cost.lambda, cost.dynamoDb, cost.storage, cost.sqs, cost.total].map(dollars);
    return h('tr', { key: name }, [h('th', { scope: 'row' }, title), ...[...sums, more].map((sum) => h('td', sum))]);
  };
  return h('div', { class: 'calculator-table', tabindex: 0, role: 'region', 'aria-label': 'What a month costs' }, [
    h('table', { 'aria-live': 'polite' }, [
      h(
        'thead',
        h(
          'tr',
          head.map((name) => h('th', { scope: 'col' }, name)),
        ),
      ),
      h('tbody', estimates.map(row)),
    ]),
  ]);
}
