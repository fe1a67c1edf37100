// Lets functions without a body be declared: they are linked by name.
