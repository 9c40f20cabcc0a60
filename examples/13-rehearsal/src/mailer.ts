export interface Order {
  readonly orderId: string;
}

/** The mail provider honours an idempotency key. */
export async function sendMail(order: Order, idempotencyKey: string): Promise<void> {
  const headers = { 'content-type': 'application/json', 'idempotency-key': idempotencyKey };
  const { ok, status } = await fetch(`${process.env.MAILER_URL}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(order),
  });
  if (!ok) throw new Error(`the provider responded with ${status}`);
}
