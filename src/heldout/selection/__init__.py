"""Selection: settings searched by cross-validation, and an honest estimate of the chosen one."""
