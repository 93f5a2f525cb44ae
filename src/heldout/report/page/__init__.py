"""Results as one HTML file that opens anywhere: tables, charts as SVG, no request to anywhere."""
