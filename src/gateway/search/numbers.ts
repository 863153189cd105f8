/** The highest of numbers from 0 upwards; 0 when there are none. */
export function highest(numbers: Float32Array | readonly number[]): number {
  let most = 0;
  for (let index = 0; index < numbers.length; index += 1) {
    const number = numbers[index] ?? 0;
    if (number > most) most = number;
  }
  return most;
}
