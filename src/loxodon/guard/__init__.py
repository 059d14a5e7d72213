"""What text may be kept, and how it may be shown: rules for secrets and personal data."""
