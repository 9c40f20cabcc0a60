/* What two ARNs say about each other. A part that is known only at deployment is in braces. */

/** Whether two ARNs are known to be in two regions or accounts. What is in braces is not known. */
export function isElsewhere(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  const [, , , ...places] = one.split(':');
  const [, , , ...otherPlaces] = other.split(':');
  return [0, 1].some((index) => {
    const [a = '', b = ''] = [places[index], otherPlaces[index]];
    return a !== b && !a.includes('{') && !b.includes('{');
  });
}

/**
 * Whether two ARNs are of one function, as far as is known. An event source names an imported function without its region or account, which
 * are those of its stack and may be unknown.
 */
export function isSameFunction(one: string | undefined, other: string): boolean {
  const name = (arn: string) => arn.split(':').slice(5).join(':');
  return one !== undefined && name(one) === name(other) && !isElsewhere(one, other) && !areTwoUnknown(one, other);
}

/** Two stacks whose environment is not known may be deployed to two places. */
function areTwoUnknown(one: string, other: string): boolean {
  const [places, otherPlaces] = [one, other].map((arn) => arn.split(':').slice(3, 5));
  return (
    places?.some(
      (place, index) => place.includes('{') && otherPlaces?.[index]?.includes('{') && place !== otherPlaces[index],
    ) ?? true
  );
}

/** The same ARN without the name of an alias or a version. */
export function unqualified(arn: string): string {
  return arn.split(':').slice(0, 7).join(':');
}

export function withoutPartition(arn: string): string {
  return arn.replace(/^arn:aws[a-z-]*:/, 'arn:aws:');
}
