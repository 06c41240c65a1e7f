"""Questions and answers: which words changed, which stayed, when, where and how."""
