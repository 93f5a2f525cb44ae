"""What every stage needs and no stage owns: errors, honest arithmetic, threads, near names."""
