"""The net under a redesign: what commands print and every result of many designs, compared."""
