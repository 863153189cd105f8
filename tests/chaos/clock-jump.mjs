// Loaded before the server: after a moment the clock of the machine is a day ahead, and then a day behind.
const now = Date.now.bind(Date);
const loadedAt = performance.now();
const DAY_MS = 86_400_000;

Date.now = () => {
  const age = performance.now() - loadedAt;
  if (age < 1_500) return now();
  return now() + (age < 3_500 ? DAY_MS : -DAY_MS);
};
