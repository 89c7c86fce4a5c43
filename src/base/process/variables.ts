/** Variables of an environment, as `process.env` holds them. */
export type Variables = Readonly<Record<string, string | undefined>>;
