/** The batch handler that was here before pawl. Nothing in it changes. */
export async function sendMails(event: { readonly Records: readonly { readonly body: string }[] }): Promise<void> {
  for (const { body } of event.Records) console.log(`  a mail goes out for ${JSON.parse(body).orderId}`);
}
