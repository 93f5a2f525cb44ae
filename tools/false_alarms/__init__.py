"""How often tests of no difference raise false alarms, and how often they find a difference."""
