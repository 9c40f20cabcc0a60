declare global {}

export {};
