// The handler of every case. It is deployed inline, so it has to stay below 4096 characters.
const http = require('node:http');

exports.handler = async ({ Records }) => {
  const seen = Records.map(({ messageId, body, attributes, eventSourceARN }) => {
    const count = Number(attributes.ApproximateReceiveCount);
    const { id = body, does = [] } = read(body);
    const queue = eventSourceARN.split(':').at(-1);
    return {
      id,
      messageId,
      queue,
      count,
      group: attributes.MessageGroupId,
      action: does[Math.min(count, does.length) - 1],
    };
  });
  await note(seen);
  const actions = seen.map(({ action }) => action);
  if (actions.includes('hang')) await new Promise((resolve) => setTimeout(resolve, 60_000));
  if (actions.includes('exit')) process.exit(1);
  if (actions.includes('throw')) throw new Error('a message says so');
  for (const action of actions) if (action in RESPONSES) return RESPONSES[action];
  const failed = seen.flatMap(({ action, messageId }) =>
    action === 'report' ? [messageId] : action === 'report-twice' ? [messageId, messageId] : [],
  );
  return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
};

const RESPONSES = {
  'unknown-id': { batchItemFailures: [{ itemIdentifier: '00000000-0000-4000-8000-000000000000' }] },
  'empty-id': { batchItemFailures: [{ itemIdentifier: '' }] },
  'null-id': { batchItemFailures: [{ itemIdentifier: null }] },
  'misspelt-key': { batchItemFailures: [{ itemIdentifer: '00000000-0000-4000-8000-000000000000' }] },
  'return-nothing': undefined,
  'return-null': null,
  'return-empty': {},
  'null-failures': { batchItemFailures: null },
};

function read(body) {
  try {
    return JSON.parse(body);
  } catch {
    return {};
  }
}

// Over HTTP, and before anything goes wrong: what a function prints is lost with its process.
function note(seen) {
  return new Promise((resolve, reject) => {
    const request = http.request(process.env.JOURNAL, { method: 'POST' }, (response) =>
      response.resume().on('end', resolve),
    );
    request.on('error', reject);
    request.end(JSON.stringify(seen));
  });
}
