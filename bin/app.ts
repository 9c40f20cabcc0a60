import { App } from 'aws-cdk-lib';
import { Accounts } from '../shop/stacks/accounts.ts';
import { Orders } from '../shop/stacks/orders.ts';
import { Payments } from '../shop/stacks/payments.ts';
import { Repayments } from '../shop/stacks/repayments.ts';
import { readSettings } from '../shop/stacks/settings.ts';

const app = new App();
// No account and no region here: the app synthesizes without credentials, and deploys to wherever the CLI points.
const settings = readSettings(app);
new Orders(app, 'PawlOrders', settings);
new Payments(app, 'PawlPayments', settings);
new Repayments(app, 'PawlRepayments', settings);
new Accounts(app, 'PawlAccounts', settings);
