"""What every stage needs and no stage owns: errors, arithmetic that admits it is undefined, near names."""
