/** The order of the site: every page of `docs/` once, under what a reader wants. A check holds it to the pages that there are. */

export interface Section {
  readonly title: string;
  /** One sentence for `llms.txt`. */
  readonly about: string;
  readonly groups: readonly Group[];
}

interface Group {
  readonly title: string;
  /** Paths from `docs/`, without `.md`. A page's name is its first heading. */
  readonly pages: readonly string[];
}

export const siteSections: readonly Section[] = [
  {
    title: 'Tutorial',
    about: 'Learn by doing, from an empty folder.',
    groups: [{ title: 'Tutorial', pages: ['tutorial/first-consumer', 'tutorial/npm-start'] }],
  },
  {
    title: 'Guides',
    about: 'How to do one thing.',
    groups: [
      {
        title: 'Begin',
        pages: [
          'guides/install',
          'guides/adopt',
          'guides/which-store',
          'guides/policies',
          'guides/wrap',
          'guides/keys',
          'guides/observe',
        ],
      },
      {
        title: 'Move over',
        pages: [
          'guides/powertools',
          'guides/powertools-handlers',
          'guides/powertools-beside',
          'guides/from-a-table',
          'guides/from-fifo',
        ],
      },
      {
        title: 'More doors',
        pages: [
          'guides/once',
          'guides/http',
          'guides/producers',
          'guides/envelopes',
          'guides/transactions',
          'guides/workflows',
          'guides/which-workflow',
          'guides/outbox',
          'guides/outbox-postgres',
          'guides/locks',
          'guides/postgres',
        ],
      },
      {
        title: 'Deploy',
        pages: [
          'guides/deploy',
          'guides/postgres-deploy',
          'guides/templates',
          'guides/aws',
          'guides/managed-instances',
          'guides/deployments',
          'guides/e2e-deploy',
          'guides/verify-account',
        ],
      },
      {
        title: 'Operate',
        pages: [
          'guides/operate',
          'guides/recover',
          'guides/console',
          'guides/sweep',
          'guides/statements',
          'guides/remedies',
          'guides/incident',
          'guides/restore',
          'guides/forget',
        ],
      },
      {
        title: 'Test and extend',
        pages: [
          'guides/unit-tests',
          'guides/testing',
          'guides/rehearsal',
          'guides/rehearsal-report',
          'guides/ladder',
          'guides/stores',
        ],
      },
    ],
  },
  {
    title: 'Explanation',
    about: 'Why it is so.',
    groups: [
      {
        title: 'Explanation',
        pages: [
          'explanation/why-duplicates',
          'explanation/in-doubt',
          'explanation/how-it-works',
          'explanation/promise',
          'explanation/crash-points',
          'explanation/proof',
        ],
      },
    ],
  },
  {
    title: 'Reference',
    about: 'Look it up.',
    groups: [
      {
        title: 'In code',
        pages: [
          'reference/options',
          'reference/handler-errors',
          'reference/fingerprint',
          'reference/testing',
          'reference/rehearse-command',
          'reference/rehearsal-resources',
        ],
      },
      {
        title: 'At work',
        pages: [
          'errors',
          'reference/events',
          'reference/alarms',
          'reference/command-line',
          'reference/commands',
          'reference/record',
          'reference/table',
        ],
      },
      {
        title: 'In AWS',
        pages: ['reference/wiring', 'reference/receives', 'reference/security', 'reference/locks'],
      },
      { title: 'Costs and limits', pages: ['reference/cost', 'reference/calculator', 'reference/scale'] },
      { title: 'Words', pages: ['reference/glossary'] },
    ],
  },
  {
    title: 'Evidence',
    about: 'What was measured and run, with dates and commits.',
    groups: [
      {
        title: 'Evidence',
        pages: [
          'evidence/README',
          'evidence/scenarios',
          'evidence/matrix',
          'evidence/conformance',
          'evidence/third-attack',
          'evidence/model',
          'evidence/simulation',
          'evidence/mutants',
          'evidence/stryker',
          'evidence/kills',
          'evidence/workflows',
          'evidence/outbox',
          'evidence/peer',
          'evidence/public-apps',
          'evidence/statements',
          'evidence/locks',
          'evidence/versions',
          'evidence/rehearsal',
          'evidence/e2e-deploy',
          'evidence/cost',
          'evidence/postgres-cost',
          'evidence/outbox-cost',
          'evidence/observe',
          'evidence/observe-cost',
          'evidence/latency',
          'evidence/scale',
        ],
      },
    ],
  },
];

/** Every page of the order above. */
export const ordered: readonly string[] = siteSections.flatMap(({ groups }) => groups.flatMap(({ pages }) => pages));
