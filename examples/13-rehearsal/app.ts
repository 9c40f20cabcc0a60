import { ClaimsTable, Consumer } from '@pawl/cdk';
import { App, Duration, Stack } from 'aws-cdk-lib';

const app = new App();
const stack = new Stack(app, 'Shop');
const claims = new ClaimsTable(stack, 'Claims');
new Consumer(stack, 'Orders', {
  claimsTable: claims.table,
  // `-c protected=no`: the same app, without pawl in its function.
  entry: app.node.tryGetContext('protected') === 'no' ? 'src/unprotected.ts' : 'src/send-email.ts',
  operation: 'send-email',
  timeout: Duration.seconds(5),
  environment: { MAILER_URL: 'https://mails.example.com' },
});
