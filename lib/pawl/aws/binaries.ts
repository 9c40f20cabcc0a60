/**
 * For `JSON.stringify`: binary values as Base64, as the JSON protocols of AWS have them. A `Buffer` has become an object of its own by the time that it
 * is passed in, so the holder is looked at.
 */
export function binariesAsBase64(this: object, key: string, value: unknown): unknown {
  const given: unknown = Reflect.get(this, key);
  return given instanceof Uint8Array ? Buffer.from(given).toString('base64') : value;
}
