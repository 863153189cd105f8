/** One collector thread and a heap that fits the session: a JVM would otherwise plan with the memory of the machine. */
export const JVM_FLAGS = ['-Xmx{heap}m', '-XX:+UseSerialGC', '-XX:-UsePerfData'] as const;

/** For compilers: they end before better code would pay. */
export const JVM_COMPILER_FLAGS = [...JVM_FLAGS, '-XX:TieredStopAtLevel=1'] as const;
